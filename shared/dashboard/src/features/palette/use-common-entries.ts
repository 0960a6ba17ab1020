import { useNavigate } from "@tanstack/react-router";
import { useAppContext, usePreference } from "../../api/context/app-context.tsx";
import { themes } from "../../api/context/preferences.ts";
import { viewPath } from "../../api/views/team-views.ts";
import { useViews } from "../../api/views/use-views.ts";
import { useCopyLink } from "../../components/controls/use-copy-link.ts";
import type { PaletteEntry } from "./palette-entries.ts";

/** Page of the navigation. */
export type PalettePage = { readonly to: string; readonly label: string; readonly keys?: string };

/** Pages, views, saved filters and actions, without those of a single object. */
export function useCommonEntries(pages: readonly PalettePage[]): readonly PaletteEntry[] {
  const navigate = useNavigate();
  const savedFilters = usePreference("savedFilters");
  const { joined: views = [] } = useViews();
  const actions = useActions();
  const open = (href: string) => () => void navigate({ href });
  return [
    ...pages.map(({ to, label, keys }) => ({
      id: `page ${to}`,
      group: "Pages" as const,
      label,
      ...(keys === undefined ? {} : { detail: keys }),
      run: open(to),
    })),
    ...savedFilters.map(({ name, href }) => ({
      id: `saved ${name}`,
      group: "Lists" as const,
      label: name,
      detail: "saved filter",
      run: open(href),
    })),
    ...views.map(({ name, realm }) => ({
      id: `view ${realm}/${name}`,
      group: "Lists" as const,
      label: name,
      detail: realm === "" ? "view" : `view of ${realm}`,
      run: open(viewPath({ name, realm })),
    })),
    ...actions,
  ];
}

function useActions(): readonly PaletteEntry[] {
  const { preferences, dialog } = useAppContext();
  const copyLink = useCopyLink("page");
  const toggle = (key: "browserNotifications" | "sound" | "shortcuts"): void =>
    preferences.set((before) => ({ ...before, [key]: !before[key] }));
  const wall = new URL(location.href);
  wall.searchParams.set("wall", "1");
  return [
    ["Copy the link to this page", () => void copyLink()],
    ["Show this page as a wall", () => location.assign(wall)],
    ...themes.map((theme) => [`Theme: ${theme}`, () => preferences.set((before) => ({ ...before, theme }))] as const),
    ["Times in UTC", () => preferences.set((before) => ({ ...before, zone: "utc" }))],
    ["Times in this browser's zone", () => preferences.set((before) => ({ ...before, zone: "local" }))],
    ["Turn the sound for new critical problems on or off", () => toggle("sound")],
    ["Keyboard shortcuts and settings", () => dialog.set({ kind: "help" })],
  ].map(([label, run]) => ({ id: `action ${label}`, group: "Actions", label, run }) as PaletteEntry);
}
