// Questions to the server that made this page; only this page has the key.

class Refused extends Error {
  constructor(words, faults, status) { super(words); Object.assign(this, { faults, status }); }
}

class Server {
  constructor() { this.session = sessionStorage.getItem("trundle") || null; }

  async ask(question, asked = {}) {
    let reply;
    try {
      reply = await fetch("ask", {
        method: "POST", headers: { "Content-Type": "application/json", "X-Trundle-Key": KEY },
        body: JSON.stringify({ ...asked, question, session: this.session }),
      });
    } catch { throw new Refused("The studio does not answer: `trundle studio` has ended. Start it again.", [], 0); }
    const text = await reply.text();
    if (!reply.ok) {
      let told = { words: text, faults: [] };
      try { told = JSON.parse(text); } catch { /* plain words */ }
      throw new Refused(told.words, told.faults, reply.status);
    }
    const { session, answer } = await unpack(text);
    this.session = session;
    sessionStorage.setItem("trundle", session);
    return answer;
  }
}
