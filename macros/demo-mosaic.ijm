// A demo sequence, its panorama, how good it is, and its transforms applied again.
// Argument: the folder for the results.
//   ./endorama macro macros/demo-mosaic.ijm results
folder = getArgument();
if (folder == "") exit("give a folder for the results");
File.makeDirectory(folder);
if (!File.isDirectory(folder)) exit("cannot make the folder " + folder);
folder = folder + File.separator;
setBatchMode(true);

run("Endoscopic Demo Sequence...", "width=360 height=288 frames=20 truth=[" + folder + "truth.csv]");
sequence = getImageID();

run("Mosaic Endoscopic Sequence...", "field=Auto transforms=[" + folder + "transforms.csv] table=["
    + folder + "frames.csv]");
print("panorama " + getWidth + " x " + getHeight + " pixels, " + Overlay.size + " overlay elements");
saveAs("PNG", folder + "panorama.png");

selectImage(sequence);
run("Mosaic Quality...", "transforms=[" + folder + "transforms.csv] distance=5 table=[" + folder + "quality.csv]");

selectImage(sequence);
run("Apply Transforms...", "transforms=[" + folder + "transforms.csv] mode=Panorama painting=Union");
saveAs("PNG", folder + "applied.png");

selectImage(sequence);
run("Apply Transforms...", "transforms=[" + folder + "transforms.csv] mode=[Aligned stack]");
print("aligned stack of " + nSlices + " frames");
