// Vessels in dark and bright parts of a sequence: every frame equalized, and one before and after, side by side.
// Argument: the folder for the results.
//   ./endorama macro macros/equalize.ijm results
folder = getArgument();
if (folder == "") exit("give a folder for the results");
File.makeDirectory(folder);
folder = folder + File.separator;
setBatchMode(true);

run("Endoscopic Demo Sequence...", "width=360 height=288 frames=5");
run("Adaptive Equalization...", "window=63 stack");
saveAs("Tiff", folder + "equalized.tif");
close();

run("Endoscopic Demo Sequence...", "width=360 height=288 frames=2");
frame = getImageID();
settings = newArray("", "window=63 limit=0", "window=63");
for (i = 0; i < settings.length; i++) {
    selectImage(frame);
    setSlice(1);
    run("Duplicate...", "title=picture" + i);
    if (i > 0) run("Adaptive Equalization...", settings[i]);
    run("Select All");
    run("Copy");
    if (i == 0) newImage("comparison", "RGB", 3 * getWidth, getHeight, 1);
    else selectImage("comparison");
    makeRectangle(i * 360, 0, 360, 288);
    run("Paste");
}
selectImage("comparison");
run("Select None");
saveAs("PNG", folder + "comparison.png");
saveAs("Jpeg", folder + "comparison.jpg");
