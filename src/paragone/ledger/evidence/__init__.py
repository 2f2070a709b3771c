"""Evidence as rows: what tournaments and people record, and how it is read.

A person's vote is a match of one comparison: ``matches`` adds it, and ``verdicts`` adds the answer itself.
"""
