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
        // The code of the first page is in two files, because libraries change less often than the application and
        // stay in the browser cache. All other code is loaded with the pages and dialogs that use it.
        codeSplitting: {
          groups: [
            { name: "libraries", tags: ["$initial"], test: /node_modules/ },
            { name: "first", tags: ["$initial"] },
          ],
        },
      },
    },
    chunkSizeWarningLimit: 700,
  },
  server: { proxy: { "/svc.v1.": process.env["REALMWATCH_SERVER"] ?? "http://127.0.0.1:8080" } },
});
