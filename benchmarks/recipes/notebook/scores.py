import evalica
import pandas as pd
from evalica import Winner

votes = pd.read_csv("battles.csv")
winners = votes["winner"].map({"model_a": Winner.X, "model_b": Winner.Y, "tie": Winner.Draw})
result = evalica.bootstrap(evalica.bradley_terry, votes["model_a"], votes["model_b"], winners, n_resamples=1000)
print(result)
