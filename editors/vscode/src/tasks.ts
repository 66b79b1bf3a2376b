// Tasks of `bpp build`: all targets, and each.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import * as vscode from "vscode";
import type { Program } from "./program";
import { readTargets } from "./targets";

const TYPE = "bpp";
const MATCHER = "$bpp";
const LIMIT_MS = 10_000;

interface Definition extends vscode.TaskDefinition {
  target?: string;
}

export function provideTasks(program: () => Program): vscode.Disposable {
  return vscode.tasks.registerTaskProvider(TYPE, {
    async provideTasks() {
      const folders = vscode.workspace.workspaceFolders ?? [];
      const found = await Promise.all(folders.map((folder) => tasksOf(folder, program())));
      return found.flat();
    },
    resolveTask(task) {
      const folder = task.scope;
      if (typeof folder !== "object") return undefined;
      return taskOf(folder, program(), task.definition as Definition);
    },
  });
}

async function tasksOf(folder: vscode.WorkspaceFolder, program: Program): Promise<vscode.Task[]> {
  try {
    const { stdout } = await promisify(execFile)(
      program.path,
      [...program.arguments, "build", "--list"],
      { cwd: folder.uri.fsPath, timeout: LIMIT_MS },
    );
    const each = readTargets(stdout).map((one) => taskOf(folder, program, { type: TYPE, target: one.name }, one.detail));
    return [taskOf(folder, program, { type: TYPE }), ...each];
  } catch {
    return []; // no configuration, or one with mistakes, which the build tells
  }
}

function taskOf(folder: vscode.WorkspaceFolder, program: Program, definition: Definition, detail?: string): vscode.Task {
  const named = definition.target === undefined ? [] : [definition.target];
  const run = new vscode.ProcessExecution(program.path, [...program.arguments, "build", "--color", "never", ...named], {
    cwd: folder.uri.fsPath,
  });
  const task = new vscode.Task(definition, folder, ["build", ...named].join(" "), TYPE, run, MATCHER);
  task.group = vscode.TaskGroup.Build;
  if (detail !== undefined) task.detail = detail;
  return task;
}
