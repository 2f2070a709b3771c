python outputs.py
paragone compare new.txt old.txt --judge llm:scripted --criteria "the right sum"
