"""One matrix as people and programs write it: rows and columns a and "b c", 3/4 1/4 and 1/8 7/8."""

WAYS = {
    "csv": ',a,"b c"\na,0.75,0.25\n"b c",0.125,0.875\n',
    "csv without a corner": '"a","b c"\n"a",0.75,0.25\n"b c",0.125,0.875\n',
    "csv2": '"";"a";"b c"\n"a";0,75;0,25\n"b c";0,125;0,875\n',
    "tabs": "\ta\tb c\na\t0.75\t0.25\nb c\t0.125\t0.875\n",
    "tabs without a corner": "a\tb c\na\t0.75\t0.25\nb c\t0.125\t0.875\n",
    "write.table": '"a" "b c"\n"a" 0.75 0.25\n"b c" 0.125 0.875\n',
    "print in blocks": '      a\na   0.75\n"b c" 0.125\n  "b c"\na   0.25\n"b c" 0.875\n',
    "list": '$Rs\n      a "b c"\na   0.75 0.25\n"b c" 0.125 0.875\n\n$pd\n[1] 0.8\n',
    "dput": (
        "structure(c(0.75, 0.125, 0.25, 0.875), dim = c(2L, 2L), "
        'dimnames = list(c("a", "b c"), c("a", "b c")))'
    ),
    "dput of old": (
        "structure(c(0.75, 0.125, 0.25, 0.875), .Dim = c(2L, 2L),\n    .Dimnames = list(\n"
        '  from = c("a", "b c"), to = c("a", "b c")))\n'
    ),
    "dput of a frame": (
        'structure(list(a = c(0.75, 0.125), `b c` = c(0.25, 0.875)), class = "data.frame", '
        'row.names = c("a", "b c"))'
    ),
    "tabular": (
        "\\begin{table}\\centering\n\\begin{tabular}{l|cc} \\toprule % a comment\n"
        " & \\textbf{a} & b c \\\\ \\midrule\na & 0.75 & $0.25$ \\\\[2pt]\n"
        "b c & 0.125 & \\textbf{$0.875$} \\\\ \\bottomrule\n\\end{tabular}\\end{table}"
    ),
}
