import { Outlet, useNavigate } from "@tanstack/react-router";
import { useSettledCommands } from "../api/commands/use-settled-commands.ts";
import { useAppContext } from "../api/context/app-context.tsx";
import { useServerInfo } from "../api/server/server-info.ts";
import { useStatusFeed } from "../api/status/status-feed.ts";
import { Notices } from "../components/feedback/notices.tsx";
import { useShortcuts } from "../components/keyboard/use-shortcuts.ts";
import { DialogHost } from "../features/dialogs/dialog-host.tsx";
import { Banners } from "./banners.tsx";
import { Rail } from "./rail.tsx";
import { SignIn } from "./sign-in.tsx";
import "./shell.css";

/** Frame around every page. It polls the feeds, so that counts and ages are up to date on all pages. */
export function Shell() {
  const { locked } = useServerInfo(true);
  if (locked) return <SignIn />;
  return <Frame />;
}

function Frame() {
  useStatusFeed("problems");
  useStatusFeed("overview");
  useSettledCommands();
  usePageKeys();
  return (
    <div className="shell">
      <a className="skip-link" href="#main">
        Skip to the content
      </a>
      <Rail />
      <div className="stage">
        <Banners />
        <main id="main" tabIndex={-1}>
          <Outlet />
        </main>
      </div>
      <DialogHost />
      <Notices />
    </div>
  );
}

function usePageKeys(): void {
  const navigate = useNavigate();
  const { dialog } = useAppContext();
  useShortcuts({
    "?": () => dialog.set({ kind: "help" }),
    "/": () => document.querySelector<HTMLInputElement>("input[type=search]")?.focus(),
    "g p": () => void navigate({ to: "/" }),
    "g o": () => void navigate({ to: "/objects" }),
    "g r": () => void navigate({ to: "/realms" }),
    "g h": () => void navigate({ to: "/history" }),
    "g c": () => void navigate({ to: "/contacts" }),
  });
}
