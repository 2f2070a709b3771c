"""What the numbers mean: pure functions from ratings and answers to boards and judge reports.

Anything here takes numbers and returns values; it opens nothing and asks nobody.
"""
