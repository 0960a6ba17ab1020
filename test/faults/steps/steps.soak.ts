process.env["REALMWATCH_EVERY"] = "1";
await import("./steps.test.ts");
