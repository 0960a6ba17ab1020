import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

export default defineConfig({
  plugins: [react()],
  build: {
    outDir: "dist",
    emptyOutDir: true,
    // The content security policy forbids inline scripts, so nothing may be injected into index.html.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    // Bundled packages with their licences, which the dashboard distributes; a release lists them in its SBOM.
    license: { fileName: "licenses.json" },
    rolldownOptions: {
      output: {
        // The libraries of every page change less often than the application; in a file of their own they stay in the
        // browser cache. The others are loaded with the pages and dialogs that use them.
        codeSplitting: {
          groups: [
            { name: "libraries", test: /node_modules.(react|react-dom|scheduler|@tanstack|@connectrpc|@bufbuild)\b/ },
          ],
        },
      },
    },
    chunkSizeWarningLimit: 700,
  },
  server: { proxy: { "/svc.v1.": process.env["REALMWATCH_SERVER"] ?? "http://127.0.0.1:8080" } },
});
