python one_prompt.py
