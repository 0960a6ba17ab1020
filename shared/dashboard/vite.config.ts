import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

export default defineConfig({
  plugins: [react()],
  // "source" resolves the contract to the generated TypeScript, so that no other build has to run first.
  resolve: { conditions: ["source", "module", "browser", "development|production"] },
  build: {
    outDir: "dist",
    emptyOutDir: true,
    // The page is served under a policy without inline script: nothing may be injected into index.html.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    rolldownOptions: {
      output: {
        // What changes with every release apart from what rarely does: browsers keep the latter.
        codeSplitting: { groups: [{ name: "libraries", test: /node_modules/ }] },
      },
    },
    chunkSizeWarningLimit: 700,
  },
  server: { proxy: { "/svc.v1.": process.env["REALMWATCH_SERVER"] ?? "http://127.0.0.1:8080" } },
});
