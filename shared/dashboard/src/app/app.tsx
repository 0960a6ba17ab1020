import { CSPProvider } from "@base-ui/react/csp-provider";
import { RouterProvider } from "@tanstack/react-router";
import { type Services, ServicesProvider } from "../services/services.tsx";
import { router } from "./router.tsx";

/** The page is served without permission for inline style, so the components bring none. */
export function App({ services }: { services: Services }) {
  return (
    <CSPProvider disableStyleElements>
      <ServicesProvider services={services}>
        <RouterProvider router={router} />
      </ServicesProvider>
    </CSPProvider>
  );
}
