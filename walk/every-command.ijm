// Every command of the plugin once, with what it leaves. Argument: a folder, which gets steps.txt: a line for each that
// was done. Started by walk/run, without a display and with one.
folder = getArgument() + File.separator;
var steps = "";
steps = folder + "steps.txt";

run("Endoscopic Demo Sequence...", "width=256 height=192 frames=8 rotation=0 zoom=0 truth=[" + folder + "truth.csv]");
demo = getImageID();
if (nSlices != 8 || !File.exists(folder + "truth.csv")) wrong("Endoscopic Demo Sequence");
done("Endoscopic Demo Sequence");

selectImage(demo);
run("Mosaic Endoscopic Sequence...", "transforms=[" + folder + "t.csv] table=[" + folder + "f.csv]");
if (nSlices != 1 || !File.exists(folder + "t.csv") || !File.exists(folder + "f.csv")) wrong("Mosaic Endoscopic Sequence");
done("Mosaic Endoscopic Sequence");

selectImage(demo);
run("Mosaic Quality...", "transforms=[" + folder + "t.csv] table=[" + folder + "q.csv]");
if (!File.exists(folder + "q.csv")) wrong("Mosaic Quality");
done("Mosaic Quality");

selectImage(demo);
run("Mosaic Parameter Sweep...", "ranges=[template=15-19:2] table=[" + folder + "sweep.csv]");
if (!File.exists(folder + "sweep.csv")) wrong("Mosaic Parameter Sweep");
done("Mosaic Parameter Sweep");

selectImage(demo);
run("Apply Transforms...", "transforms=[" + folder + "t.csv] mode=[Aligned stack]");
if (nSlices != 8 || getWidth() != 256) wrong("Apply Transforms");
done("Apply Transforms");

selectImage(demo);
run("Align Exposures...", "frames=3-6 transforms=[" + folder + "TileConfiguration.txt]");
if (nSlices != 4 || !File.exists(folder + "TileConfiguration.txt")) wrong("Align Exposures");
done("Align Exposures");

selectImage(demo);
run("Register Rotation and Scale...", "frames=1-3 transforms=[" + folder + "stack.txt]");
if (nSlices != 3 || !File.exists(folder + "stack.txt")) wrong("Register Rotation and Scale");
done("Register Rotation and Scale");

selectImage(demo);
run("Duplicate...", "title=fixed");
run("8-bit");
run("Duplicate...", "title=moving");
run("Translate...", "x=3 y=-2 interpolation=None");
run("Register by Mutual Information...", "fixed=fixed transforms=[" + folder + "m.json]");
if (!File.exists(folder + "m.json")) wrong("Register by Mutual Information");
done("Register by Mutual Information");

selectImage("fixed");
before = getValue("StdDev");
run("Adaptive Equalization...", "window=31 limit=3");
if (getValue("StdDev") == before) wrong("Adaptive Equalization");
done("Adaptive Equalization");

selectImage(demo);
run("AVI... ", "compression=JPEG frame=10 save=[" + folder + "clip.avi]");
run("Open Video...", "video=[" + folder + "clip.avi] frames=2-5");
if (nSlices != 4) wrong("Open Video");
done("Open Video");

run("Endorama Info...");
done("Endorama Info");

function done(command) {
    File.append(command, steps);
}

function wrong(command) {
    exit(command + ": not what it should leave");
}
