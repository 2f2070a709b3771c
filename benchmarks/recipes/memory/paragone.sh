paragone memory init
paragone memory index
paragone memory search "calls that a comparison of two prompts takes"
