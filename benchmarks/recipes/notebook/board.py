import paragone

board = paragone.fit("battles.csv")
print(board)
