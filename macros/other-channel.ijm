// Registers a sequence by its grey values and paints the panorama of its colours with the same transforms.
// Argument: the folder for the results.
//   ./endorama macro macros/other-channel.ijm results
folder = getArgument();
if (folder == "") exit("give a folder for the results");
File.makeDirectory(folder);
transforms = folder + File.separator + "grey.csv";
setBatchMode(true);

run("Endoscopic Demo Sequence...", "width=360 height=288 frames=10 path=Spiral");
colours = getImageID();
run("Duplicate...", "duplicate");
run("8-bit");
run("Mosaic Endoscopic Sequence...", "transforms=&transforms");

selectImage(colours);
run("Apply Transforms...", "transforms=&transforms painting=Ring");
saveAs("PNG", folder + File.separator + "colours.png");
