"""How the sheets look, on paper and on a screen."""

INKS = {"good": "#1f6f43", "warn": "#8a5800", "bad": "#a32020"}

CSS = """
@page { size: A4; margin: 9mm 15mm 7mm; }
* { box-sizing: border-box; }
html { color-scheme: light; background: white; }
body { font: 8.8pt/1.28 "Source Sans 3", "Helvetica Neue", Arial, "Liberation Sans", sans-serif;
       font-size-adjust: .5;
       color: #1a2430; margin: 0 auto; max-width: 180mm; overflow-wrap: anywhere; }
h1 { font-size: 15pt; line-height: 1.15; margin: 0 0 1mm; }
h2 { font-size: 9.8pt; margin: 2.2mm 0 .6mm; }
h3 { font-size: 9.2pt; margin: 2.4mm 0 .6mm; }
p { margin: 0 0 1.2mm; }
.about { color: #4c5967; font-size: 8.2pt; margin: 0 0 1.6mm; }
.band { border: 1.4pt solid; border-left-width: 5mm; border-radius: 1.5mm;
        padding: 1.8mm 4mm .8mm; }
.band .word { font-size: 13pt; letter-spacing: .03em; }
.band p { font-size: 10.4pt; line-height: 1.28; }
.good { border-color: #1f6f43; background: #f1f8f3; }
.warn { border-color: #8a5800; background: #fff8e8; }
.bad { border-color: #a32020; background: #fdf0ee; }
.picture { display: flex; gap: 6mm; margin: 2.4mm 0 0; }
figure { margin: 0; flex: 1; display: flex; gap: 2.6mm; align-items: center; }
svg { width: 23mm; height: 23mm; flex: none; }
figcaption { font-size: 8.4pt; line-height: 1.25; } figcaption b { font-size: 12pt; }
figcaption span { color: #4c5967; }
table { border-collapse: collapse; width: 100%; font-size: 8.4pt; table-layout: fixed;
        font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: .3mm 1.2mm; border-bottom: .4pt solid #c6cfd8;
         vertical-align: bottom; font-weight: 400; }
th:first-child, td:first-child { text-align: left; }
tbody th { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.guesses .answer { width: 40%; } .guesses thead tr + tr th { text-align: right; }
.learned .answer { width: 55%; } .learned .answer + th { width: 27%; }
thead th { border-bottom: 1pt solid #1a2430; font-weight: 600; line-height: 1.15; }
thead .over { text-align: center; }
ul { margin: 0; padding-left: 4mm; font-size: 8.5pt; line-height: 1.24; }
li { margin-bottom: .3mm; }
.two { display: grid; grid-template-columns: 1fr 1fr; gap: 0 7mm; }
.choice { font-size: 8.9pt; margin-top: 2mm; }
.box { display: inline-block; width: 3.2mm; height: 3.2mm; border: .8pt solid #1a2430;
       margin: 0 1.4mm -0.4mm 5mm; }
.sign { display: grid; grid-template-columns: 1.3fr 1fr 1fr; gap: 6mm; margin-top: 7mm; }
.sign div { border-top: .8pt solid #1a2430; padding-top: .8mm; font-size: 8.4pt; }
.foot { color: #4c5967; font-size: 7.2pt; margin: 1.2mm 0 0; }
pre { font: 7.8pt/1.35 ui-monospace, "DejaVu Sans Mono", Menlo, monospace; white-space: pre-wrap;
      background: #f3f5f7; padding: 2mm 3mm; border-radius: 1mm; margin: 0 0 2mm; }
@media screen { body { padding: 10mm; } }
@media screen and (max-width: 640px) {
  body { padding: 4mm; }
  .picture { flex-wrap: wrap; } figure { flex: 1 1 100%; }
  .two, .sign { grid-template-columns: 1fr; }
  .wide { overflow-x: auto; }
}
@media print {
  .band, svg, pre { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
  tr, figure { break-inside: avoid; }
  .dense { line-height: 1.2; }
  .dense h1 { font-size: 14pt; }
  .dense h2 { font-size: 9.4pt; margin: 1.7mm 0 .4mm; }
  .dense p { margin-bottom: .8mm; }
  .dense .about { font-size: 7.8pt; margin-bottom: 1mm; }
  .dense .band { padding: 1.3mm 4mm .5mm; }
  .dense .band .word { font-size: 12pt; }
  .dense .band p { font-size: 9.4pt; line-height: 1.22; }
  .dense .picture { margin-top: 1.6mm; }
  .dense svg { width: 20mm; height: 20mm; }
  .dense figcaption { font-size: 8pt; line-height: 1.2; }
  .dense table { font-size: 8.2pt; } .dense th, .dense td { padding: .2mm 1.2mm; }
  .dense ul { font-size: 8.2pt; line-height: 1.2; } .dense li { margin-bottom: .2mm; }
  .dense .two { gap: 0 5mm; }
}
"""
