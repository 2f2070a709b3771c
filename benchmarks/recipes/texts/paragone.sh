paragone rank texts.txt --criteria "the clearer slogan" --judge llm:scripted
