import { Outlet, useNavigate } from "@tanstack/react-router";
import { useServerInfo } from "../api/server-info.ts";
import { useStatusFeed } from "../api/status-feed.ts";
import { useSettledMarks } from "../commands/use-settled-marks.ts";
import { DialogHost } from "../dialogs/dialog-host.tsx";
import { useShortcuts } from "../keyboard/use-shortcuts.ts";
import { Notices } from "../parts/notices.tsx";
import { useServices } from "../services/services.tsx";
import { Banners } from "./banners.tsx";
import { Rail } from "./rail.tsx";
import { SignIn } from "./sign-in.tsx";
import "./shell.css";

/** What stands around every page; it follows the fleet, so that counts and age are right wherever one is. */
export function Shell() {
  const { locked } = useServerInfo(true);
  if (locked) return <SignIn />;
  return <Frame />;
}

function Frame() {
  useStatusFeed("problems");
  useStatusFeed("overview");
  useSettledMarks();
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
  const { dialog } = useServices();
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
