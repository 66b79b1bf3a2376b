// A server with some commands, or, by its first argument, one that ends at once with words.
const [, , mode] = process.argv;
if (mode !== "serve") {
  process.stderr.write(`${mode}\n`);
  process.exit(2);
}
let chosen = [];
const commands = {
  "bpp.showGraph": () => ({ title: "graph", language: "svg", text: "<svg></svg>" }),
  "bpp.showRendered": (given) => ({ title: "app.yaml", language: "yaml", text: JSON.stringify([...given, ...chosen]) }),
  "bpp.chooseInputs": ([, ...words]) => {
    if (words[0] !== "list") chosen = words;
    return words[0] !== "list" ? null : [{ words: ["target", "prod"], label: "prod", about: "prod.yaml", chosen: false }];
  },
};
const answers = {
  initialize: () => ({ capabilities: { executeCommandProvider: { commands: Object.keys(commands) } } }),
  shutdown: () => null,
  "workspace/executeCommand": ({ command, arguments: given }) => commands[command](given),
};
let data = Buffer.alloc(0);
process.stdin.on("data", (more) => {
  data = Buffer.concat([data, more]);
  for (;;) {
    const head = /Content-Length: (\d+)\r\n\r\n/.exec(data.toString("latin1"));
    const end = head && head.index + head[0].length + Number(head[1]);
    if (!head || data.length < end) return;
    answer(JSON.parse(data.subarray(head.index + head[0].length, end).toString()));
    data = data.subarray(end);
  }
});
function answer({ id, method, params }) {
  if (method === "exit") process.exit(0);
  if (method === "$/crash") process.exit(1);
  if (id === undefined) return;
  const body = JSON.stringify({ jsonrpc: "2.0", id, result: answers[method]?.(params) ?? null });
  process.stdout.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}
