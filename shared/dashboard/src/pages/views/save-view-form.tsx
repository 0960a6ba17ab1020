import { saveViewCommand } from "@realmwatch/shared/commands/views/save-view";
import { useSearch } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { useBlockedReason } from "../../api/commands/command-availability.ts";
import { AuthorField, TextField } from "../../components/controls/form-fields.tsx";
import { FailureText } from "../../components/feedback/failure-text.tsx";
import { useViewCommands } from "./use-view-commands.ts";

const { words } = saveViewCommand;

/** Saves a view for all users; the address may have its selector. */
export function SaveViewForm() {
  const { selector: given = "" } = useSearch({ from: "/views" });
  const { save, error } = useViewCommands();
  const [name, setName] = useState("");
  const [selector, setSelector] = useState(given);
  const [description, setDescription] = useState("");
  const blocked = useBlockedReason()("");
  if (blocked !== undefined) return <p className="muted">Views cannot be saved. {blocked}.</p>;
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (!(await save({ name: name.trim(), selector, description }))) return;
    setName("");
    setDescription("");
  };
  return (
    <section className="save-view">
      <h2>Save a view for all</h2>
      <form className="line-form" onSubmit={(event) => void submit(event)}>
        <TextField label="Name" value={name} onChange={setName} required />
        <TextField label="Selector" value={selector} onChange={setSelector} placeholder="env=prod" required />
        <TextField label="Description" value={description} onChange={setDescription} />
        <AuthorField />
        <button type="submit" className="button is-primary">
          {words.action}
        </button>
      </form>
      {error !== undefined && <FailureText error={error} what="The view was not changed." />}
    </section>
  );
}
