import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import "./app/base.css";
import { CSPProvider } from "@base-ui/react/csp-provider";
import { RouterProvider } from "@tanstack/react-router";
import { AppContextProvider, createAppContext } from "./api/context/app-context.tsx";
import { router } from "./app/router.tsx";

const services = createAppContext();
const { preferences } = services;

/** Applies the preferred theme to the page; `auto` leaves it to the operating system. */
function applyTheme(): void {
  const { theme } = preferences.get();
  const { dataset } = document.documentElement;
  if (theme === "auto") delete dataset["theme"];
  else dataset["theme"] = theme;
}
applyTheme();
preferences.subscribe(applyTheme);

const root = document.getElementById("root");
if (root === null) throw new TypeError("index.html has no element #root");
createRoot(root).render(
  <StrictMode>
    {/* The content security policy forbids inline styles. */}
    <CSPProvider disableStyleElements>
      <AppContextProvider services={services}>
        <RouterProvider router={router} />
      </AppContextProvider>
    </CSPProvider>
  </StrictMode>,
);
