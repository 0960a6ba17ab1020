import { CSPProvider } from "@base-ui/react/csp-provider";
import { RouterProvider } from "@tanstack/react-router";
import { type AppContext, AppContextProvider } from "../api/context/app-context.tsx";
import { router } from "./router.tsx";

/** The application. `disableStyleElements`, because the content security policy forbids inline styles. */
export function App({ services }: { services: AppContext }) {
  return (
    <CSPProvider disableStyleElements>
      <AppContextProvider services={services}>
        <RouterProvider router={router} />
      </AppContextProvider>
    </CSPProvider>
  );
}
