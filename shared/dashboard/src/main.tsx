import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import "./app/base.css";
import { createAppContext } from "./api/context/app-context.tsx";
import { App } from "./app/app.tsx";
import { followTheme } from "./app/theme.ts";

const services = createAppContext();
followTheme(services.preferences, document.documentElement);

const root = document.getElementById("root");
if (root === null) throw new TypeError("index.html has no element #root");
createRoot(root).render(
  <StrictMode>
    <App services={services} />
  </StrictMode>,
);
