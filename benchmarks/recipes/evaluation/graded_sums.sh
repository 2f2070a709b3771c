inspect eval graded_sums.py --model openai-api/scripted/any --display plain
