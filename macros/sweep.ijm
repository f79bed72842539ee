// Which template side and how many landmarks suit a sequence?
// Argument: the table to write.
//   ./endorama macro macros/sweep.ijm sweep.csv
table = getArgument();
if (table == "") exit("give a name for the table");
setBatchMode(true);
run("Endoscopic Demo Sequence...", "width=360 height=288 frames=6");
run("Mosaic Parameter Sweep...", "ranges=[template=15-31:8 landmarks=6,8] table=[" + table + "]");
