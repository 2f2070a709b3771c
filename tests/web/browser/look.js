// What tests ask of a page, in the page: whether it is still at work, and what keeps somebody from using it.
(() => {
  const FRAME = 20;    // milliseconds between two looks at a page that is at work
  const GRAVE = ["serious", "critical"];
  const CONTROLS = "input, select, textarea, button";

  const frame = () => new Promise(requestAnimationFrame);
  const pause = () => new Promise((done) => setTimeout(done, FRAME));

  // What a page puts off for the sake of those who watch it, so that many events are one, comes four times as soon.
  const LONG = 400, wait = window.setTimeout;
  window.setTimeout = (act, after = 0, ...more) => wait(act, after >= LONG ? after / 4 : after, ...more);

  // The charts in sight, the stream of events, and the pair of a ballot.
  const WORK = {
    loading: () => document.readyState !== "complete",
    "drawing charts": () => [...document.querySelectorAll(".chart")].some((chart) => !chart.querySelector(".main-svg")
      && chart.getBoundingClientRect().top <= innerHeight + 700),
    listening: () => document.body.dataset.events && document.getElementById("beat").textContent !== "live",
    "asking for a pair": () => document.querySelector("#vote")
      && document.querySelector("#pair").hidden && document.querySelector("#who").hidden,
  };

  async function settled() {
    for (const until = performance.now() + PATIENCE; ; await pause()) {
      if (document.querySelector(".chart")) {   // it hears in the next frame that it is in sight, or wider
        await frame();
        await frame();
      }
      const work = Object.keys(WORK).filter((name) => WORK[name]());
      if (!work.length) return;
      if (performance.now() > until) throw new Error(`The page is still ${work.join(" and ")}.`);
    }
  }

  function short(text) {
    let [one, two] = [0xdeadbeef, 0x41c6ce57];
    for (let at = 0; at < text.length; at++) {
      one = Math.imul(one ^ text.charCodeAt(at), 2654435761);
      two = Math.imul(two ^ text.charCodeAt(at), 1597334677);
    }
    return `${one >>> 0}.${two >>> 0}`;
  }

  // Axe judges no text over an image. Where that is a shade at the edges of a colour, the colour is judged.
  const PLAIN = /^rgb\(/;
  function laidBare(elements) {
    const shaded = elements.filter((each) => {
      const { backgroundImage, backgroundColor } = getComputedStyle(each);
      return backgroundImage.includes("gradient(") && PLAIN.test(backgroundColor);
    });
    for (const each of shaded) each.style.backgroundImage = "none";
    return shaded;
  }

  // One text for each colour, size and pile of backgrounds, and of each kind of control, by a name of all that.
  function byLook(elements) {
    const looks = new Map(), piles = new Map([[null, ""]]);
    const pile = (outer) => {
      if (!piles.has(outer)) {
        const style = getComputedStyle(outer);
        const own = [style.backgroundColor, style.backgroundImage, style.opacity, style.position, style.zIndex,
          style.overflow, style.filter, style.mixBlendMode];
        piles.set(outer, short(`${own}/${pile(outer.parentElement)}`));
      }
      return piles.get(outer);
    };
    const off = (each) => each && (each.disabled || each.ariaDisabled || each.type);
    for (const each of elements) {
      const hasText = [...each.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
      if (!hasText && !each.matches(CONTROLS)) continue;
      const own = getComputedStyle(each), box = each.getBoundingClientRect();
      const control = each.closest(`label, [disabled], [aria-disabled], ${CONTROLS}`);
      const name = short([own.color, own.fill, own.fontSize, own.fontWeight, own.textShadow, own.textIndent,
        own.visibility, box.width && box.height > 2, box.right > 0 && box.bottom + scrollY > 0, pile(each),
        each.textContent.trim().length === 1, control?.tagName, off(control), off(control?.control)].join());
      if (!looks.has(name)) looks.set(name, each);
    }
    return looks;
  }

  const tooWide = () => {
    const over = document.documentElement.scrollWidth - innerWidth;
    return over > 0 ? [`${over} px too wide`] : [];
  };

  const canBeGrave = (rule) => [...rule.any, ...rule.all, ...rule.none]
    .some((check) => GRAVE.includes(axe._audit.data.checks[check.id ?? check]?.impact));

  async function grave(withRules, texts) {
    const contrast = axe._audit.rules.find((rule) => rule.id === "color-contrast");
    contrast.mayMatch ??= contrast.matches;
    contrast.matches = (node, ...more) => texts.has(node) && contrast.mayMatch(node, ...more);
    const without = axe._audit.rules.filter((rule) => rule === contrast ? !texts.size : !withRules || !canBeGrave(rule));
    const rules = Object.fromEntries(without.map((rule) => [rule.id, { enabled: false }]));
    const { violations } = await axe.run(document, { rules, resultTypes: ["violations"] });
    return violations.filter((each) => GRAVE.includes(each.impact));
  }

  // What axe finds that no page may have: of the rules that can be broken gravely, all, if they are wanted; of contrast,
  // which takes axe most of its time, for each look that was not clear on an earlier page. Besides, the looks.
  async function barriers(withRules, clear) {
    const elements = [...document.querySelectorAll("body, body *")], shaded = laidBare(elements);
    const looks = byLook(elements), fresh = new Set(looks.values());
    for (const name of clear) fresh.delete(looks.get(name));
    if (!window.axe) loadAxe();
    const problems = withRules || fresh.size ? await grave(withRules, fresh) : [];
    for (const each of shaded) each.style.backgroundImage = "";
    return [problems.map((each) => `${each.id}: ${each.nodes[0].html.slice(0, 200)}`), [...looks.keys()]];
  }

  // The same of a page that has settled, and by how much it is wider than its window; and the names of its dialogs.
  async function at(withRules, clear) {
    await settled();
    const wide = tooWide(), [problems, names] = await barriers(withRules, clear);
    return [[...wide, ...problems], names, [...document.querySelectorAll("[data-opens]")].map((by) => by.dataset.opens)];
  }

  // A chart is drawn anew in each look, which takes longer than all else of a page: this leaves its place, with nothing in it.
  function clearCharts() {
    for (const chart of document.querySelectorAll(".chart")) {
      const place = chart.cloneNode();
      place.append(Object.assign(document.createElement("i"), { className: "main-svg" }));
      chart.replaceWith(place);
    }
  }

  // What a text did that was code, once everything was touched: that it ran, attributes that would run a script, which are
  // handlers and addresses that are scripts, and elements that only a text could bring.
  async function harm(foreign) {
    await settled();
    for (const each of document.querySelectorAll("details")) each.open = true;
    for (const each of document.querySelectorAll("main *")) {
      each.dispatchEvent(new MouseEvent("mouseover", { bubbles: true }));
      each.focus?.({ preventScroll: true });
    }
    await frame();
    const attributes = [...document.querySelectorAll("*")].flatMap((each) => [...each.attributes]).filter((each) =>
      each.name.startsWith("on") || (/^(xlink:)?href$|^(form)?action$|^src|^data$/.test(each.name)
        && /^\s*javascript:/i.test(each.value)));
    const brought = [...document.querySelectorAll(foreign)].map((each) => `an element came of a text: ${each.tagName}`);
    return [...tooWide(), ...attributes.map((each) => each.name), ...brought, ...("hacked" in window ? [`ran ${window.hacked} times`] : [])];
  }

  window.look = { at, barriers, clearCharts, harm };
})();
