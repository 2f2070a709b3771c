"""How a ranking comes about: trends, how sure each rating is, whether it has settled, how well it meets a truth."""
