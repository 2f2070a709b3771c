"""Whether results can be relied on: judges, verdicts and debates, circles, outliers, sudden swings, forecasts."""
