"""How the page looks: one sheet of styles, readable at any width, with focus that can be seen."""

CSS = """
:root { color-scheme: light dark;
        --dp-blue: #0b5c8a; --dp-ink: #1d2733; --dp-faint: #5b6875; --dp-line: #d7dee5;
        --dp-paper: #f5f7f9; --dp-warm: #a33b00; --dp-card: white; --dp-head: #0a3d5c;
        --dp-edge: #7b8794; --dp-quote: #eef3f7;
        --dp-bad: #fdf1ec; --dp-mind: #fff8e6; --dp-fine: #edf7f0; }
@media screen and (prefers-color-scheme: dark) {
  :root { --dp-blue: #74bdea; --dp-ink: #e3e8ed; --dp-faint: #a3afba; --dp-line: #3b4650;
          --dp-paper: #12171c; --dp-warm: #ff9a6b; --dp-card: #1b222a; --dp-head: #9fd4f5;
          --dp-edge: #8b98a5; --dp-quote: #242e38;
          --dp-bad: #3a231b; --dp-mind: #352d18; --dp-fine: #1a3022; }
  body { --q-primary: #74bdea !important; }
  .q-btn.bg-primary .q-btn__content { color: #0f1419; }
  .dp-plot .main-svg g:not(.heatmap-label) > text { fill: #e3e8ed !important; }
  .dp-plot .legend path[style*="34, 34, 34"] { fill: #e3e8ed !important; stroke: #e3e8ed !important; }
  .dp-plot .gridlayer path, .dp-plot .zerolinelayer path { stroke: #3b4650 !important; }
}
body { background: var(--dp-paper); color: var(--dp-ink);
       font-family: system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; font-size: 16px;
       line-height: 1.5; margin: 0; }
.nicegui-content { padding: 0; gap: 0; align-items: stretch; width: 100%; }
.q-page, .q-layout { min-height: 100vh; }
h1 { font-size: 1.7rem; line-height: 1.25; margin: 0; font-weight: 650; letter-spacing: -0.01em; }
h2 { font-size: 1.15rem; line-height: 1.3; margin: 0; font-weight: 650; letter-spacing: 0; }
h3 { font-size: 1rem; line-height: 1.3; margin: 0; font-weight: 650; letter-spacing: 0; }
p { margin: 0; overflow-wrap: anywhere; }
p:empty { display: none; }
a { color: var(--dp-blue); }
:focus-visible { outline: 3px solid #f0a202; outline-offset: 2px; border-radius: 3px; }
.dp-top { background: #0a3d5c; color: white; padding: 10px 24px; display: flex; flex-wrap: wrap;
          gap: 6px 28px; align-items: center; }
.dp-top a { color: white; text-decoration: none; }
.dp-brand { font-weight: 700; font-size: 1.15rem; }
.dp-nav { display: flex; flex-wrap: wrap; gap: 2px 4px; }
.dp-nav a { padding: 6px 10px; border-radius: 6px; }
.dp-nav a:hover { background: rgba(255,255,255,.14); }
.dp-nav a[aria-current=page] { background: white; color: #0a3d5c; font-weight: 600; }
.dp-main { width: 100%; max-width: 1200px; margin: 0 auto; padding: 22px 24px 40px;
           display: flex; flex-direction: column; gap: 18px; }
.dp-lead { color: var(--dp-faint); max-width: 70ch; }
.dp-two > .dp-stack { gap: 20px; }
.dp-two { display: grid; grid-template-columns: minmax(0, 5fr) minmax(0, 7fr); gap: 20px;
          align-items: start; }
.dp-panel { background: var(--dp-card); border: 1px solid var(--dp-line); border-radius: 10px;
            padding: 18px; display: flex; flex-direction: column; gap: 14px; min-width: 0; }
.dp-stack { display: flex; flex-direction: column; gap: 14px; min-width: 0; width: 100%; }
.dp-row { display: flex; flex-wrap: wrap; gap: 10px; align-items: center; }
.dp-headline { font-size: 1.45rem; line-height: 1.3; font-weight: 650; color: var(--dp-head); }
.dp-said { white-space: pre-line; overflow-wrap: anywhere; }
.dp-small { color: var(--dp-faint); font-size: .88rem; overflow-wrap: anywhere; }
.dp-formula { background: var(--dp-quote); border-radius: 8px; padding: 12px 14px;
              white-space: pre-wrap; overflow-wrap: anywhere;
              font-family: "DejaVu Serif", Georgia, serif; }
.dp-field { display: flex; flex-direction: column; gap: 4px; width: 100%; }
.dp-field label, .dp-label { font-weight: 600; font-size: .92rem; }
.dp-select { width: 100%; padding: 9px 10px; border: 1px solid var(--dp-edge); border-radius: 4px;
             font: inherit; font-size: .95rem; background: var(--dp-card); color: var(--dp-ink); }
.dp-range { width: 100%; accent-color: var(--dp-blue); height: 28px; margin: 0; cursor: pointer; }
.dp-ends { display: flex; justify-content: space-between; font-size: .82rem; color: var(--dp-faint); }
.dp-error { background: var(--dp-bad); border: 1px solid #e3a88d; border-left: 6px solid var(--dp-warm);
            border-radius: 8px; padding: 10px 14px; overflow-wrap: anywhere; }
.dp-note { background: var(--dp-mind); border: 1px solid #e8cf8a; border-left: 6px solid #b98900;
           border-radius: 8px; padding: 10px 14px; overflow-wrap: anywhere; }
.dp-good { background: var(--dp-fine); border: 1px solid #a9d3b6; border-left: 6px solid #26804a;
           border-radius: 8px; padding: 10px 14px; overflow-wrap: anywhere; }
.dp-list { border: 0; margin: 0; padding: 0; min-width: 0; width: 100%; }
.dp-list legend { font-weight: 600; font-size: .92rem; padding: 0; }
.dp-list ul { list-style: none; margin: 0; padding: 3px; max-height: 50vh; overflow-y: auto; }
.dp-list li, .dp-add { display: flex; gap: 8px; align-items: center; padding: 3px 0; }
.dp-list li { border-bottom: 1px solid var(--dp-line); }
.dp-list input[type=text] { flex: 1; min-width: 0; font: inherit; padding: 6px 8px;
            border: 1px solid var(--dp-edge); border-radius: 4px; background: var(--dp-card);
            color: var(--dp-ink); }
.dp-list li .dp-small { flex: 2; min-width: 0; overflow-wrap: anywhere; }
.dp-list li .dp-small:empty { display: none; }
.dp-list input[type=checkbox] { width: 22px; height: 22px; flex: none; }
.dp-list button { font: inherit; min-width: 36px; min-height: 36px; cursor: pointer;
            border: 1px solid var(--dp-edge); border-radius: 4px; background: var(--dp-card);
            color: var(--dp-ink); }
.dp-scroll { overflow-x: auto; width: 100%; }
.dp-table { border-collapse: collapse; font-size: .93rem; width: 100%;
            font-variant-numeric: tabular-nums; }
.dp-table th, .dp-table td { padding: 5px 10px; border-bottom: 1px solid var(--dp-line);
            text-align: right; overflow-wrap: break-word; }
.dp-table .dp-whole { white-space: nowrap; }
.dp-table th:first-child, .dp-table td:first-child, .dp-table .dp-left { text-align: left; }
.dp-table thead th { border-bottom: 2px solid #9fb0bf; font-weight: 600; vertical-align: bottom; }
.dp-table tbody th { font-weight: 500; }
.dp-plot { width: 100%; min-width: 0; }
.dp-cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(320px, 1fr)); gap: 16px; }
.dp-cards a { text-decoration: none; color: inherit; background: var(--dp-card);
              border: 1px solid var(--dp-line); border-radius: 10px;
              padding: 16px; display: flex; flex-direction: column; gap: 6px; }
.dp-cards a:hover { border-color: var(--dp-blue); box-shadow: 0 1px 6px rgba(11,92,138,.18); }
.dp-foot { color: var(--dp-faint); font-size: .88rem; border-top: 1px solid var(--dp-line);
           padding-top: 14px; }
.dp-kernels { display: flex; flex-wrap: wrap; gap: 6px; max-height: 190px;
              overflow-y: auto; padding: 3px; }
.dp-kernels .q-btn { min-width: 46px; }
.dp-hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.q-field, .q-expansion-item, .q-select { width: 100%; }
.q-expansion-item { border: 1px solid var(--dp-line); border-radius: 8px; background: var(--dp-card); }
.q-expansion-item .nicegui-expansion-content, .q-expansion-item__content { gap: 12px; }
.dp-stack > .q-btn, .dp-panel > .q-btn { align-self: flex-start; }
.q-btn { text-transform: none; font-weight: 600; }
.q-field__native, .q-field__label { letter-spacing: 0; }
.dp-map svg { width: 100%; height: auto; display: block; cursor: crosshair; }
.dp-code, .dp-mono textarea, .dp-mono input { font-size: .9rem;
           font-family: ui-monospace, "DejaVu Sans Mono", Menlo, monospace; }
@media (max-width: 900px) {
  .dp-two { grid-template-columns: minmax(0, 1fr); }
  .dp-two > .dp-stack { display: contents; }
  .dp-1 { order: 1; } .dp-2 { order: 2; } .dp-3 { order: 3; } .dp-4 { order: 4; }
  .dp-main { padding: 16px 12px 32px; }
  .dp-top { padding: 8px 12px; }
  .dp-nav a { padding: 5px 8px; font-size: .93rem; }
  .dp-panel { padding: 14px 12px; }
  h1 { font-size: 1.4rem; } .dp-headline { font-size: 1.2rem; }
}
@media print {
  .dp-top, .dp-foot, .q-btn, .dp-range, .dp-ends, .q-uploader, .dp-add, .dp-list button,
  .q-expansion-item__toggle-icon { display: none !important; }
  :root { color-scheme: light; }
  body, .dp-panel { background: white; color: black; }
  .q-field__native, .q-field__label, .q-field__bottom, .q-item,
  .q-checkbox__inner { color: black !important; }
  .dp-main { padding: 0; }
  .dp-list ul, .dp-kernels { max-height: none; }
  .dp-two { display: block; } .dp-panel { border: 0; padding: 0 0 14px; }
  .dp-error, .dp-note, .dp-good, .dp-plot, .dp-list li, .dp-table tr { break-inside: avoid; }
  h1, h2, h3 { break-after: avoid; }
}
@media (prefers-reduced-motion: reduce) {
  * { transition: none !important; animation: none !important; }
  .q-expansion-item__content { height: auto !important; overflow: visible !important; }
}
"""
