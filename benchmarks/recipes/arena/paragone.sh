paragone fit battles.csv
