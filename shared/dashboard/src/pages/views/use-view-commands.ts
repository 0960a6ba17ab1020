import { deleteViewCommand } from "@realmwatch/shared/commands/views/delete-view";
import { saveViewCommand } from "@realmwatch/shared/commands/views/save-view";
import { useQueryClient } from "@tanstack/react-query";
import { useCommandClient } from "../../api/commands/command-availability.ts";
import { useCall } from "../../api/commands/use-call.ts";
import { useAppContext, usePreference } from "../../api/context/app-context.tsx";
import { addNotice } from "../../api/context/notice.ts";
import type { TeamView } from "../../api/views/team-views.ts";

type ViewFields = { readonly name: string; readonly selector: string; readonly description: string };

/** Commands that save a view at the server, and delete the saved parts of one. Each resolves to true when accepted. */
export function useViewCommands() {
  const { notices } = useAppContext();
  const author = usePreference("author");
  const commands = useCommandClient();
  const queryClient = useQueryClient();
  const { error, run } = useCall();
  const send = async (noun: string, call: () => Promise<unknown>): Promise<boolean> => {
    const accepted = await run(call);
    if (accepted) addNotice(notices, "done", `Accepted: ${noun}`);
    void queryClient.invalidateQueries();
    return accepted;
  };
  return {
    error,
    save: (view: ViewFields) => send(saveViewCommand.words.noun, () => commands.saveView("", { ...view, author })),
    remove: ({ name, saved }: TeamView) =>
      send(deleteViewCommand.words.noun, () =>
        Promise.all(saved.map(({ realm }) => commands.deleteView(realm, { name, author }))),
      ),
  };
}
