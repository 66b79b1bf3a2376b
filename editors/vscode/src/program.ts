// Which bpp is started, and what to tell when it does not run. Nothing here knows the editor.
import { homedir } from "node:os";
import { join } from "node:path";

export interface Program {
  path: string;
  /** What comes in front of `lsp` and `build`. */
  arguments: string[];
}

/** The setting `bpp.path`, else bpp in an environment of one of the folders, else the one on the PATH. */
export function findProgram(
  path: string,
  given: string[],
  folders: string[],
  exists: (path: string) => boolean,
): Program {
  if (path) return { path: expand(path, folders[0]), arguments: given };
  const bin = process.platform === "win32" ? ["Scripts", "bpp.exe"] : ["bin", "bpp"];
  const found = folders
    .flatMap((folder) => [".venv", "venv"].map((name) => join(folder, name, ...bin)))
    .find(exists);
  return { path: found ?? "bpp", arguments: given };
}

function expand(path: string, folder: string | undefined): string {
  if (path === "~" || path.startsWith("~/")) return join(homedir(), path.slice(1));
  return path.replaceAll("${workspaceFolder}", folder ?? ".");
}

export const SETTINGS = "Open Settings";
export const COPY = "Copy Command";
export const OUTPUT = "Show Output";
export const RETRY = "Try Again";

export interface Advice {
  message: string;
  buttons: string[];
  /** What `COPY` puts on the clipboard. */
  command?: string;
}

/** When the server has ended too often. */
export const STOPPED: Advice = { message: "bpp: the language server has stopped several times", buttons: [OUTPUT, RETRY] };

/** What to tell a user when the server does not start: by the error of starting it, or its last words. */
export function advice(path: string, error: NodeJS.ErrnoException | undefined, words: string): Advice {
  if (error?.code === "ENOENT")
    return { message: `bpp: there is no program \`${path}\`. Install bpp, or set \`bpp.path\`.`, buttons: [SETTINGS, RETRY] };
  if (error?.code === "EACCES")
    return { message: `bpp: \`${path}\` cannot be executed. Is \`bpp.path\` the program?`, buttons: [SETTINGS, RETRY] };
  const command = /`(pip install [^`]+)`/.exec(words)?.[1];
  if (command)
    return { message: `bpp: its language server is not installed. Run: ${command}`, buttons: [COPY, RETRY], command };
  if (/no such command 'lsp'/i.test(words))
    return { message: `bpp: \`${path}\` is too old to have a language server. Update it.`, buttons: [SETTINGS, RETRY] };
  const last = words.trim().split("\n").at(-1) ?? "";
  return { message: `bpp: the language server does not start${last ? `: ${last}` : ""}`, buttons: [OUTPUT, RETRY] };
}
