// Paint what a program wrote with xterm.js, and note what the terminal does besides: hostile/emulators.py runs this.
const { Terminal } = require("@xterm/headless");

const OWN_TITLE = /^(\(\d+\+?\) )?(!\d+ )?frontdesk · [\w.-]+$/;

async function main() {
  let input = "";
  for await (const part of process.stdin) input += part;
  const { columns, rows, written } = JSON.parse(input);
  const terminal = new Terminal({ cols: columns, rows, allowProposedApi: true, scrollback: 0 });
  let noted = [];
  terminal.onData((data) => noted.push(`answer ${JSON.stringify(data)}`));
  terminal.onBinary((data) => noted.push(`answer ${JSON.stringify(data)}`));
  terminal.onBell(() => noted.push("bell"));
  terminal.onTitleChange((title) => OWN_TITLE.test(title) || noted.push(`title ${JSON.stringify(title)}`));
  const found = [];
  for (const [place, text] of written) {
    await new Promise((done) => terminal.write(text, done));
    const modes = terminal.modes;
    if (modes.mouseTrackingMode !== "none") noted.push(`mouse ${modes.mouseTrackingMode}`);
    if (modes.insertMode) noted.push("insert mode");
    if (modes.applicationKeypadMode) noted.push("keypad mode");
    const lines = [];
    for (let y = 0; y < rows; y++) {
      const line = terminal.buffer.active.getLine(y);
      if (line) lines.push(line.translateToString());
    }
    found.push([place, noted, lines.join("")]);
    noted = [];
  }
  process.stdout.write(JSON.stringify(found));
}

main();
