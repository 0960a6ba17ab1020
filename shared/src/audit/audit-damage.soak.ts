process.env["REALMWATCH_EVERY"] = "3";
await import("./audit-damage.test.ts");
