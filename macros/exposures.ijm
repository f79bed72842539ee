// A bracket of exposures from a moving scope, and what their mean looks like before and after they are aligned.
// Argument: the folder for the results.
//   ./endorama macro macros/exposures.ijm results
// docs/images/exposures.jpg is made so.
folder = getArgument();
if (folder == "") exit("give a folder for the results");
File.makeDirectory(folder);
if (!File.isDirectory(folder)) exit("cannot make the folder " + folder);
folder = folder + File.separator;
gains = newArray(0.45, 0.8, 1.4, 2.2);
setBatchMode(true);

run("Endoscopic Demo Sequence...", "width=400 height=320 frames=" + gains.length
    + " path=Sweep step=9 rotation=0 zoom=0 highlights=0 flicker=0");
bracket = getImageID();
for (i = 0; i < gains.length; i++) {
    setSlice(i + 1);
    run("Multiply...", "value=" + gains[i] + " slice");
}
before = mean(bracket);

selectImage(bracket);
run("Align Exposures...", "subpixel transforms=[" + folder + "transforms.csv] table=[" + folder + "shifts.csv]");
after = mean(getImageID());

// Side by side: one frame of the bracket, the mean before, the mean after; of each the middle.
newImage("exposures", "RGB white", 3 * 256 + 2 * 4, 224, 1);
picture = getImageID();
put(bracket, 0);
put(before, 260);
put(after, 520);
selectImage(picture);
saveAs("Jpeg", folder + "exposures.jpg");

function mean(image) {
    selectImage(image);
    run("Z Project...", "projection=[Average Intensity]");
    return getImageID();
}

function put(image, x) {
    selectImage(image);
    setSlice(1);
    makeRectangle(72, 48, 256, 224);
    run("Copy");
    run("Select None");
    selectImage(picture);
    makeRectangle(x, 0, 256, 224);
    run("Paste");
    run("Select None");
}
