process.env["PAIR_MODEL_RUNS"] ??= "200000";
await import("./pair-model.test.ts");
