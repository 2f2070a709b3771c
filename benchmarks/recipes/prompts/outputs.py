from openai import OpenAI

client = OpenAI()
for name, prompt in {"old": "", "new": "Think step by step. "}.items():
    with open(f"{name}.txt", "w") as file:
        for question in open("questions.txt"):
            message = {"role": "user", "content": prompt + question}
            reply = client.chat.completions.create(model="scripted", messages=[message])
            print(reply.choices[0].message.content, file=file)
