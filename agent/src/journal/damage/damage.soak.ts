process.env["REALMWATCH_EVERY"] = "1";
await import("./damage.test.ts");
