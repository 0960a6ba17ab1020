process.env["REALMWATCH_EVERY"] = "1";
await import("./journal.test.ts");
await import("./killed-databases.test.ts");
await import("./killed-files.test.ts");
