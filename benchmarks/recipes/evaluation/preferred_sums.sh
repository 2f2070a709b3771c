inspect eval preferred_sums.py --model openai-api/scripted/any --display plain
