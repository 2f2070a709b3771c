"""A plugin of paragone that looks at the lengths of texts."""
