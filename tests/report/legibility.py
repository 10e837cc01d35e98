"""What a page in Chromium says of its own text: which labels overlap, and which have too little contrast."""

OVERLAPS = """(() => {
    const found = [];
    for (const chart of document.querySelectorAll('.chart')) {
        const svg = chart.querySelector('svg');
        if (!svg) continue;
        const frame = svg.getBoundingClientRect();
        const labels = [...svg.querySelectorAll('text')]
            .filter((text) => text.textContent.trim() && getComputedStyle(text).opacity !== '0')
            .map((text) => ({ said: text.textContent, box: text.getBoundingClientRect() }));
        labels.forEach(({ said, box }, i) => {
            const cut = box.left < frame.left - 1 || box.right > frame.right + 1;
            if (cut) found.push([chart.dataset.figure, said, 'cut']);
            for (const other of labels.slice(i + 1)) {
                const wide = Math.min(box.right, other.box.right) - Math.max(box.left, other.box.left);
                const high = Math.min(box.bottom, other.box.bottom) - Math.max(box.top, other.box.top);
                if (wide > 1.5 && high > 3) found.push([chart.dataset.figure, said, other.said]);
            }
        });
    }
    return found;
})()"""
"""Labels of figures that lie over one another by more than a rounding, or outside their figure."""

CONTRASTS = r"""(() => {
    const linear = (part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4);
    const luminance = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
    const parsed = (colour) => colour.match(/[\d.]+/g).map(Number);
    const over = (top, share, below) => below.map((part, i) => share * top[i] + (1 - share) * part);

    function ground(element) {
        for (let at = element; at; at = at.parentElement) {
            const [r, g, b, share = 1] = parsed(getComputedStyle(at).backgroundColor);
            if (share > 0) return [r, g, b];
        }
        return [255, 255, 255];
    }

    // Boxes that are drawn below a label are its ground.
    function below(text, boxes, paper) {
        const { left, right, top, bottom } = text.getBoundingClientRect();
        const [x, y] = [(left + right) / 2, (top + bottom) / 2];
        const holds = (box) => box.left < x && x < box.right && box.top < y && y < box.bottom;
        return boxes.reduce((colour, { box, fill, share }) => (holds(box) ? over(fill, share, colour) : colour), paper);
    }

    const low = {};
    function compare(element, colour, paper) {
        const [a, b] = [luminance(colour), luminance(paper)];
        const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        const where = element.closest('.chart')?.dataset.figure ?? element.className;
        if (ratio >= 4.5) return;
        low[`${where} ${colour} on ${paper}`] = [Math.round(100 * ratio) / 100, element.textContent.slice(0, 30)];
    }
    for (const svg of document.querySelectorAll('.chart svg')) {
        const paper = ground(svg.parentElement);
        const boxes = [...svg.querySelectorAll('.mark-rect path')].map((path) => {
            const style = getComputedStyle(path);
            const fill = style.fill === 'none' ? [0, 0, 0, 0] : parsed(style.fill);
            const share = (fill[3] ?? 1) * style.fillOpacity * style.opacity;
            return { box: path.getBoundingClientRect(), fill: fill.slice(0, 3), share };
        });
        for (const text of svg.querySelectorAll('text')) {
            const style = getComputedStyle(text);
            if (!text.textContent.trim() || style.opacity === '0' || style.fill === 'none') continue;
            compare(text, parsed(style.fill).slice(0, 3), below(text, boxes, paper));
        }
    }
    for (const element of document.querySelectorAll('body *:not(svg *):not(script):not(style):not(noscript)')) {
        if (![...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim())) continue;
        compare(element, parsed(getComputedStyle(element).color).slice(0, 3), ground(element));
    }
    return low;
})()"""
"""Colours of text with a contrast below 4.5 (WCAG 2, level AA): contrast and what is written so."""
