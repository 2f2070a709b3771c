promptfoo eval --output results.json
