import pandas as pd
from arena_rank.models.bradley_terry import BradleyTerry
from arena_rank.utils.data_utils import PairDataset

dataset = PairDataset.from_pandas(pd.read_csv("battles.csv"))
model = BradleyTerry(n_competitors=len(dataset.competitors))
results = model.compute_ratings_and_cis(dataset, significance_level=0.05)
print(pd.DataFrame(results).sort_values("ratings", ascending=False).to_string(index=False))
