// The choice of the inputs with which values are computed.
import * as vscode from "vscode";

/** What the server offers; `words` choose it. */
interface Choice {
  words: string | string[];
  label: string;
  about: string;
  chosen: boolean;
}

const OTHER = "Other options…";

/** The words of a choice, or options as at the command line; undefined when nothing was chosen. */
export async function chooseInputs(choices: Choice[] | null): Promise<string[] | undefined> {
  const items = (choices ?? []).map((one) => ({
    label: one.label,
    detail: one.about,
    description: one.chosen ? "chosen" : "",
    words: [one.words].flat(),
  }));
  const other = { label: OTHER, detail: "as for bpp render", description: "", words: undefined };
  const picked = await vscode.window.showQuickPick([...items, other], { placeHolder: "Compute values with" });
  if (picked === undefined || picked.words !== undefined) return picked?.words;
  const typed = await vscode.window.showInputBox({ prompt: "Options", placeHolder: "--vars prod.vars.yaml --var region=eu" });
  return typed === undefined ? undefined : splitWords(typed);
}

/** The words of a line, in which quotes keep blanks. */
export function splitWords(line: string): string[] {
  const words = line.match(/(?:[^\s"']|"[^"]*"|'[^']*')+/g) ?? [];
  return words.map((word) => word.replace(/"([^"]*)"|'([^']*)'/g, (_, double, single) => double ?? single));
}
