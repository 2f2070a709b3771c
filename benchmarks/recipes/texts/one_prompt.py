from openai import OpenAI

prompt = "Order these slogans, the clearest first, one a line:\n" + open("texts.txt").read()
reply = OpenAI().chat.completions.create(model="scripted", messages=[{"role": "user", "content": prompt}])
print(reply.choices[0].message.content)
