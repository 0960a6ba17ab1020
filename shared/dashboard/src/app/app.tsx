import { CSPProvider } from "@base-ui/react/csp-provider";
import { RouterProvider } from "@tanstack/react-router";
import { type AppContext, AppContextProvider } from "../api/context/app-context.tsx";
import { router } from "./router.tsx";

/** The page is served without permission for inline style, so the components bring none. */
export function App({ services }: { services: AppContext }) {
  return (
    <CSPProvider disableStyleElements>
      <AppContextProvider services={services}>
        <RouterProvider router={router} />
      </AppContextProvider>
    </CSPProvider>
  );
}
