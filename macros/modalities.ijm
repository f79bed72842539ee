// A phantom as two kinds of scanner would show it: other grey values, another resolution, turned and shifted. The second
// volume is registered onto the first. Argument: the folder for the results.
//   ./endorama macro macros/modalities.ijm results
// docs/images/modalities.jpg is made so.
folder = getArgument();
if (folder == "") exit("give a folder for the results");
File.makeDirectory(folder);
if (!File.isDirectory(folder)) exit("cannot make the folder " + folder);
folder = folder + File.separator;
setBatchMode(true);

phantom("first", newArray(90, 30, 150, 220, 120, 100));
run("Properties...", "channels=1 slices=40 frames=1 unit=mm pixel_width=2 pixel_height=2 voxel_depth=3");
phantom("whole", newArray(200, 20, 90, 40, 130, 30));
run("Rotate... ", "angle=11 grid=1 interpolation=Bilinear stack");
run("Translate...", "x=7 y=-5 interpolation=None stack");
run("Scale...", "x=0.6667 y=0.6667 z=1.0 width=64 height=64 depth=40 interpolation=Bilinear process create title=second");
run("Add Specified Noise...", "stack standard=6");
run("Properties...", "channels=1 slices=40 frames=1 unit=mm pixel_width=3 pixel_height=3 voxel_depth=3");

selectImage("second");
run("Register by Mutual Information...", "fixed=first transforms=[" + folder + "transforms.tfm] table=[" + folder
    + "table.csv]");
saveAs("Tiff", folder + "registered.tif");
selectImage("second");
run("Register by Mutual Information...", "fixed=first output=Overlay");
run("Scale...", "x=0.5 y=0.5 interpolation=None average create");
saveAs("Jpeg", folder + "modalities.jpg");

// A head: skin, bone, brain, ventricles, cerebellum and some spots, ellipsoids with these grey values.
function phantom(name, grey) {
    random("seed", 7);
    newImage(name, "8-bit black", 96, 96, 40);
    ellipsoid(47, 48, 20, 40, 45, 26, grey[0]);
    ellipsoid(47, 48, 20, 37, 42, 24, grey[1]);
    ellipsoid(47, 48, 20, 34, 39, 22, grey[2]);
    ellipsoid(40, 42, 22, 5, 14, 7, grey[3]);
    ellipsoid(55, 42, 22, 5, 14, 7, grey[3]);
    ellipsoid(47, 70, 14, 14, 8, 8, grey[4]);
    for (i = 0; i < 40; i++) {
        angle = 2.4 * i;
        r = 10 + 20 * random();
        ellipsoid(47 + r * cos(angle), 48 + 1.1 * r * sin(angle), 6 + 28 * random(), 3 + 2 * random(), 3 + 2 * random(),
            2 + 2 * random(), grey[5] + 100 * random());
    }
    setSlice(1);
}

function ellipsoid(x, y, z, a, b, c, value) {
    setColor(value);
    for (k = 0; k < nSlices; k++) {
        inside = 1 - pow((k - z) / c, 2);
        if (inside > 0) {
            s = sqrt(inside);
            setSlice(k + 1);
            fillOval(x - a * s, y - b * s, 2 * a * s, 2 * b * s);
        }
    }
}
