from itertools import permutations

import choix
from openai import OpenAI

client = OpenAI()
texts = open("texts.txt").read().splitlines()
wins = []
for a, b in permutations(range(len(texts)), 2):
    question = f"Which is the clearer slogan? Answer A or B.\nA: {texts[a]}\nB: {texts[b]}"
    reply = client.chat.completions.create(model="scripted", messages=[{"role": "user", "content": question}])
    wins.append((a, b) if reply.choices[0].message.content == "A" else (b, a))
strengths = choix.opt_pairwise(len(texts), wins, alpha=0.01)
for text in sorted(range(len(texts)), key=lambda text: -strengths[text]):
    print(f"{strengths[text]:.2f}", texts[text])
