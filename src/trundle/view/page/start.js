// The page of runs that were packed into it.

unpack($("data").textContent).then((data) => { window.trundle = new Page(); window.trundle.load(data); }, (error) => {
  $("problem").hidden = false;
  $("problem").textContent = `The data of this page cannot be read: ${error.message}`;
});
