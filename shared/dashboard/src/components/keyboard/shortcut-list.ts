import { objectCommands } from "../../api/commands/object-actions.ts";

export type Shortcut = { readonly keys: string; readonly action: string };

/** Shortcuts of lists, objects and dialogs in the order of the help dialog; those of the pages are with their links. */
export const shortcutGroups: readonly { readonly title: string; readonly shortcuts: readonly Shortcut[] }[] = [
  {
    title: "Everywhere",
    shortcuts: [
      { keys: "Ctrl+K", action: "Find an object, a page or an action" },
      { keys: "/", action: "Search this list" },
      { keys: "?", action: "This help" },
      { keys: "Esc", action: "Close a dialog" },
    ],
  },
  {
    title: "In the search field",
    shortcuts: [
      { keys: "↓  ↑", action: "Next, previous suggestion" },
      { keys: "Tab", action: "Take the suggestion" },
      { keys: "Enter", action: "Go to the list" },
      { keys: "Esc", action: "Go to the list and keep the filter" },
    ],
  },
  {
    title: "In a list",
    shortcuts: [
      { keys: "j  k", action: "Next, previous row" },
      { keys: "Enter", action: "Open the row's object" },
      { keys: "x", action: "Select the row" },
      { keys: "Space", action: "Select the row" },
      { keys: "Ctrl+A", action: "Select all that match" },
      { keys: "Esc", action: "Clear the selection" },
    ],
  },
  {
    title: "On the selection, the row or the object",
    shortcuts: [
      ...objectCommands.map(({ key, words }) => ({ keys: key, action: words.action })),
      { keys: "Ctrl+Enter", action: "Submit a dialog" },
    ],
  },
];
